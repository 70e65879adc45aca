import { ExportDataButton } from '@/features/session/export-data-button'
import { t } from '@/lib/i18n'
import { Card } from '@/ui/card'

export function DataExportCard() {
  return (
    <Card title={t('Your data')} icon="download">
      <div className="grid gap-4">
        <p>
          {t(
            'It is yours, and you can leave any day. One file holds every record as spreadsheets (CSV) and JSON, every photo and PDF, every message, and every consent word by word.',
          )}
        </p>
        <p className="text-note text-muted">
          {t(
            'Passwords and keys of other services stay behind. Another Toolbox takes the file in as it is, and compares every count and sum.',
          )}
        </p>
        <ExportDataButton wide />
      </div>
    </Card>
  )
}
