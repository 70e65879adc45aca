// The leads as a file.
import { Button } from '@/ui/button'
import { type ExportFormat, useExportLeads } from '../mutations'

export function ExportButtons({ q }: { q: string }) {
  return (
    <div className="-mx-2 flex sm:mx-0 sm:gap-2">
      <ExportButton format="csv" q={q} />
      <ExportButton format="json" q={q} />
    </div>
  )
}

const LABELS = { csv: 'Export CSV', json: 'Export JSON' } as const satisfies Record<ExportFormat, string>

function ExportButton({ format, q }: { format: ExportFormat; q: string }) {
  const exportLeads = useExportLeads(format, q)
  return (
    <Button variant="secondary" icon="download" className="max-sm:min-h-11! max-sm:gap-1! max-sm:border-transparent! max-sm:px-2! max-sm:text-note! max-sm:text-primary! max-sm:[&>svg]:size-4" pending={exportLeads.isPending} pendingText="Exporting..." onClick={() => exportLeads.mutate()}>
      {LABELS[format]}
    </Button>
  )
}
