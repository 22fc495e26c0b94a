/** ECharts with what these pages draw, in place of all of it: two fifths of its size. A new kind of series or component is named here. */
import { evidenceThemeLight } from '@evidence-dev/component-utilities/echartsThemes';
import { BarChart, CustomChart, HeatmapChart, ScatterChart } from 'echarts/charts';
import { GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent } from 'echarts/components';
import * as core from 'echarts/core';
import { CanvasRenderer, SVGRenderer } from 'echarts/renderers';

core.use([BarChart, CustomChart, HeatmapChart, ScatterChart]);
core.use([GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, VisualMapComponent]);
core.use([CanvasRenderer, SVGRenderer]);

// In pixels of the device: phones draw no larger canvas.
const LARGEST = 4096 * 4096;

export function init(node) {
	const isLarge = node.clientWidth * node.clientHeight * devicePixelRatio ** 2 > LARGEST;
	return core.init(node, evidenceThemeLight, { renderer: isLarge ? 'svg' : 'canvas' });
}
