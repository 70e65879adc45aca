// The leads as a file.
import type { LeadsBehind } from '@/domain/behind'
import { ExportPair } from '@/ui/export-pair'
import { useExportLeads } from '../mutations'

export function ExportButtons({ q, behind }: { q: string; behind: LeadsBehind | undefined }) {
  return <ExportPair csv={useExportLeads('csv', q, behind)} json={useExportLeads('json', q, behind)} />
}
