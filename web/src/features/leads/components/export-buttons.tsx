// The leads as a file.
import { ExportPair } from '@/ui/export-pair'
import { useExportLeads } from '../mutations'

export function ExportButtons({ q }: { q: string }) {
  return <ExportPair csv={useExportLeads('csv', q)} json={useExportLeads('json', q)} />
}
