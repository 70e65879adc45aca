// The invoices as a file.
import { ExportPair } from '@/ui/export-pair'
import { useExportInvoices } from '../mutations'
import type { InvoiceFilters } from '../queries'

export function ExportButtons({ filters }: { filters: InvoiceFilters }) {
  return <ExportPair csv={useExportInvoices('csv', filters)} json={useExportInvoices('json', filters)} />
}
