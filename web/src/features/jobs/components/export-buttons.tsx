import { ExportButtonPair } from '@/ui/export-button-pair'
import { useExportJobs } from '../mutations'
import type { JobFilters } from '../queries'

export function JobExportButtons({ filters }: { filters: JobFilters }) {
  return <ExportButtonPair csv={useExportJobs('csv', filters)} json={useExportJobs('json', filters)} />
}
