// Undo of the last change, for a minute.
import { useIsBefore } from '@/lib/hooks/use-is-before'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import { useUndoJobChange } from '../mutations'
import type { JobDetail } from '../types'

export function UndoBar({ job: { undo, events } }: { job: JobDetail }) {
  const isOpen = useIsBefore(undo ? Date.parse(undo.until) : 0)
  const takeBack = useUndoJobChange()
  if (!undo || !isOpen) return null
  const what = events.find(({ id }) => id === undo.eventId)?.title ?? t('The last change')
  return (
    <div
      role="status"
      className="flex items-center justify-between gap-3 rounded-field border border-info/45 bg-info/8 py-1 pr-1 pl-3"
    >
      <p className="flex min-w-0 items-center gap-2 text-note">
        <Icon name="clock" className="text-info" />
        {t('{what}. You can undo it for a minute.', { what })}
      </p>
      <Button
        variant="ghost"
        icon="undo"
        className="shrink-0"
        pending={takeBack.isPending}
        pendingText={t('Undoing...')}
        onClick={() => takeBack.mutate(undo.eventId)}
      >
        {t('Undo')}
      </Button>
    </div>
  )
}
