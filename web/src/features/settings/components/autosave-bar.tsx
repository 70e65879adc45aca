// What became of the last change. Always of one height, so that nothing below it moves.
import { useOnline } from '@/lib/hooks/use-online'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Icon } from '@/ui/icon'
import type { AutosaveState } from '../lib/use-autosave'
import { settingsMessages } from '../messages'

const texts = settingsMessages.autosave

type AutosaveBarProps = { state: AutosaveState; isDirty: boolean; changed: string; onRetry: () => void }

export function AutosaveBar({ state, isDirty, changed, onRetry }: AutosaveBarProps) {
  const isOnline = useOnline()
  const isFailed = isDirty && state === 'failed' && isOnline
  return (
    <div className="flex min-h-12 flex-wrap items-center gap-x-3 text-note text-muted">
      <p role="status" className="flex min-w-0 items-center gap-2 wrap-anywhere">
        <Icon name={isDirty ? 'pencil' : 'check'} className="size-4" />
        {getStatusText({ state, isDirty, changed, isOnline })}
      </p>
      {isFailed && (
        <Button variant="secondary" icon="refresh" onClick={onRetry}>
          {t('Try again')}
        </Button>
      )}
    </div>
  )
}

function getStatusText({
  state,
  isDirty,
  changed,
  isOnline,
}: Omit<AutosaveBarProps, 'onRetry'> & { isOnline: boolean }): string {
  if (!isOnline) return isDirty ? texts.offlineTyped : texts.offline
  if (state === 'saving') return texts.saving
  if (isDirty) return texts.unsaved
  return state === 'saved' ? texts.saved(changed) : texts.idle
}
