// Everything else that can be done with a job.
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import type { Action } from '../lib/actions'

type MoreSheetProps = {
  open: boolean
  onClose: () => void
  actions: readonly Action[]
  onRun: (action: Action) => void
}

export function MoreSheet({ open, onClose, actions, onRun }: MoreSheetProps) {
  return (
    <Dialog open={open} onClose={onClose} title="More">
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
