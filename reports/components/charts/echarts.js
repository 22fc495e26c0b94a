/** ECharts with what these pages draw, in place of all of it: two fifths of its size. A new kind of series or component is named here. */
import { BarChart, CustomChart, HeatmapChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent } from 'echarts/components';
import { use } from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

use([BarChart, CustomChart, HeatmapChart, ScatterChart]);
use([GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent]);
use([CanvasRenderer, SVGRenderer]);

export { connect, init, registerMap, registerTheme, throttle } from 'echarts/core';
