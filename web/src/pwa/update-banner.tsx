// Update banner.
import { useHasDirtyForm } from '@/lib/dirty-forms'
import { t } from '@/lib/i18n'
import { Icon } from '@/ui/icon'
import { useWaitingUpdate } from './update-state'

export function UpdateBanner() {
  const update = useWaitingUpdate()
  const isDirty = useHasDirtyForm()
  if (!update) return null
  return (
    <div
      role="status"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-info/40 bg-info/8 px-4 py-1 text-note"
    >
      <Icon name="sparkle" className="size-4 text-info" />
      <span className="flex-1 py-2">
        {isDirty
          ? t('A new version is ready. It waits until you have sent or cleared what you are typing.')
          : t('A new version is ready.')}
      </span>
      {!isDirty && (
        <button type="button" className="btn btn-ghost min-h-11 text-info" onClick={update}>
          {t('Update now')}
        </button>
      )}
    </div>
  )
}
