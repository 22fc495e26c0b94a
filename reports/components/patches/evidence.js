/**
 * What these pages and their layout use of Evidence's components, in place of all of them: maps, calendars, Sankey diagrams and
 * the like are half of what a page would load. A page that wants another one names it here.
 */
export { default as Accordion } from '@evidence-dev/core-components/dist/atoms/accordion/Accordion.svelte';
export { default as AccordionItem } from '@evidence-dev/core-components/dist/atoms/accordion/AccordionItem.svelte';
export { default as QueryLoad } from '@evidence-dev/core-components/dist/atoms/query-load/QueryLoad.svelte';
export { default as EvidenceDefaultLayout } from '@evidence-dev/core-components/dist/organisms/layout/EvidenceDefaultLayout.svelte';
export { default as CodeBlock } from '@evidence-dev/core-components/dist/unsorted/ui/CodeBlock.svelte';
export { default as Details } from '@evidence-dev/core-components/dist/unsorted/ui/Details.svelte';
export { default as QueryViewer } from '@evidence-dev/core-components/dist/unsorted/ui/QueryViewer.svelte';
export { default as Column } from '@evidence-dev/core-components/dist/unsorted/viz/table/Column.svelte';
export { default as DataTable } from '@evidence-dev/core-components/dist/unsorted/viz/table/DataTable.svelte';

// Of pages for those who write a report, which a built site does not have, and of Evidence's own page of errors.
export { default as CopyButton } from './Absent.svelte';
export { default as DeploySettingsPanel } from './Absent.svelte';
export { default as FormattingSettingsPanel } from './Absent.svelte';
export { default as SchemaExplorer } from './Absent.svelte';
export { default as SourceConfig } from './Absent.svelte';
export { default as SqlConsole } from './Absent.svelte';
export { default as TelemetrySettingsPanel } from './Absent.svelte';
export { default as VersionControlPanel } from './Absent.svelte';
