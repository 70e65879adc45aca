// The leads as a file.
import { Button } from '@/ui/button'
import { type ExportFormat, useExportLeads } from '../mutations'

export function ExportButtons({ q }: { q: string }) {
  return (
    <div className="grid w-full grid-cols-2 gap-2 sm:flex sm:w-auto">
      <ExportButton format="csv" q={q} />
      <ExportButton format="json" q={q} />
    </div>
  )
}

const LABELS = { csv: 'Export CSV', json: 'Export JSON' } as const satisfies Record<ExportFormat, string>

function ExportButton({ format, q }: { format: ExportFormat; q: string }) {
  const exportLeads = useExportLeads(format, q)
  return (
    <Button variant="secondary" icon="download" pending={exportLeads.isPending} pendingText="Exporting..." onClick={() => exportLeads.mutate()}>
      {LABELS[format]}
    </Button>
  )
}
