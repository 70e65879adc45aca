import type { LeadDrilldown } from '@/domain/drilldown'
import { ExportButtonPair } from '@/ui/export-button-pair'
import { useExportLeads } from '../mutations'

export function LeadExportButtons({ q, drilldown }: { q: string; drilldown: LeadDrilldown | undefined }) {
  return <ExportButtonPair csv={useExportLeads('csv', q, drilldown)} json={useExportLeads('json', q, drilldown)} />
}
