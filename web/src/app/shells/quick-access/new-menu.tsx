// "New": the records that can be added, as large buttons.
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { RECORD_ICONS, RECORD_LABELS } from './actions'
import { NEW_RECORDS, quickAccess } from './quick-access-store'

export function NewMenu({ onClose }: { onClose: () => void }) {
  const isOnline = useOnline()
  return (
    <Dialog open onClose={onClose} title={t('New')}>
      <ul className="grid gap-2 sm:grid-cols-2">
        {NEW_RECORDS.map((record) => (
          <li key={record}>
            <Button
              wide
              variant="secondary"
              icon={RECORD_ICONS[record]}
              disabled={!isOnline}
              className="justify-start"
              onClick={() => quickAccess.open({ part: 'record', record })}
            >
              {RECORD_LABELS[record]}
            </Button>
          </li>
        ))}
      </ul>
      {!isOnline && (
        <p className="mt-3 text-note text-warning">{t("You're offline. Adding something needs a connection.")}</p>
      )}
    </Dialog>
  )
}
