import { t } from '@/lib/i18n'
import { Button } from './button'

type ExportCommand = { isPending: boolean; mutate: () => void }

export function ExportButtonPair({ csv, json }: { csv: ExportCommand; json: ExportCommand }) {
  return (
    <div className="-mx-2 flex sm:mx-0 sm:gap-2">
      <ExportButton label={t('Export CSV')} file={csv} />
      <ExportButton label={t('Export JSON')} file={json} />
    </div>
  )
}

function ExportButton({ label, file }: { label: string; file: ExportCommand }) {
  return (
    <Button
      variant="secondary"
      icon="download"
      className="max-sm:min-h-11! max-sm:gap-1! max-sm:border-transparent! max-sm:px-2! max-sm:text-note! max-sm:text-primary! max-sm:[&>svg]:size-4"
      pending={file.isPending}
      pendingText={t('Exporting...')}
      onClick={() => file.mutate()}
    >
      {label}
    </Button>
  )
}
