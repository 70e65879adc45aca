// The invoices as a file.
import { Button } from '@/ui/button'
import { type ExportFormat, useExportInvoices } from '../mutations'
import type { InvoiceFilters } from '../queries'

export function ExportButtons({ filters }: { filters: InvoiceFilters }) {
  return (
    <div className="-mx-2 flex sm:mx-0 sm:gap-2">
      <ExportButton format="csv" filters={filters} />
      <ExportButton format="json" filters={filters} />
    </div>
  )
}

const LABELS = { csv: 'Export CSV', json: 'Export JSON' } as const satisfies Record<ExportFormat, string>

function ExportButton({ format, filters }: { format: ExportFormat; filters: InvoiceFilters }) {
  const exportInvoices = useExportInvoices(format, filters)
  return (
    <Button variant="secondary" icon="download" className="max-sm:min-h-11! max-sm:gap-1! max-sm:border-transparent! max-sm:px-2! max-sm:text-note! max-sm:text-primary! max-sm:[&>svg]:size-4" pending={exportInvoices.isPending} pendingText="Exporting..." onClick={() => exportInvoices.mutate()}>
      {LABELS[format]}
    </Button>
  )
}
