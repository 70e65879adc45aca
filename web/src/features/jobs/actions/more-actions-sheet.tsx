import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import type { JobAction } from '../lib/actions'

type MoreActionsSheetProps = {
  open: boolean
  onClose: () => void
  actions: readonly JobAction[]
  onRun: (action: JobAction) => void
}

export function MoreActionsSheet({ open, onClose, actions, onRun }: MoreActionsSheetProps) {
  return (
    <Dialog open={open} onClose={onClose} title={t('More')}>
      <ul className="grid gap-2">
        {actions.map((action) => (
          <li key={action.label}>
            <Button
              variant={action.isDanger ? 'danger' : 'secondary'}
              icon={action.icon}
              wide
              className="justify-start"
              onClick={() => onRun(action)}
            >
              {action.label}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
