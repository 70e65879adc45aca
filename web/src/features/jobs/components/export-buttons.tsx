// The jobs as a file.
import { ExportPair } from '@/ui/export-pair'
import { useExportJobs } from '../mutations'
import type { JobFilters } from '../queries'

export function ExportButtons({ filters }: { filters: JobFilters }) {
  return <ExportPair csv={useExportJobs('csv', filters)} json={useExportJobs('json', filters)} />
}
