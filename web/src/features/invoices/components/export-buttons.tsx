import { ExportButtonPair } from '@/ui/export-button-pair'
import { useExportInvoices } from '../mutations'
import type { InvoiceFilters } from '../queries'

export function InvoiceExportButtons({ filters }: { filters: InvoiceFilters }) {
  return <ExportButtonPair csv={useExportInvoices('csv', filters)} json={useExportInvoices('json', filters)} />
}
