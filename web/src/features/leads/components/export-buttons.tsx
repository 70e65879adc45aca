import { ExportButtonPair } from '@/ui/export-button-pair'
import { useExportLeads } from '../mutations'
import type { LeadNarrowing } from '../queries'

export function LeadExportButtons({ q, narrowing }: { q: string; narrowing: LeadNarrowing }) {
  return <ExportButtonPair csv={useExportLeads('csv', q, narrowing)} json={useExportLeads('json', q, narrowing)} />
}
