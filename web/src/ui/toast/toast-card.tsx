import { type PointerEvent, useState } from 'react'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { IconButton } from '../button'
import { Icon, type IconName } from '../icon'
import { dismiss, pauseExpiry, resumeExpiry, type Toast, type ToastVariant } from './toast-store'

export const SWIPE_THRESHOLD_PX = 50

const VARIANT_DISPLAYS = {
  default: { icon: 'check-circle', textClass: 'text-success' },
  destructive: { icon: 'alert', textClass: 'text-error' },
  info: { icon: 'info', textClass: 'text-info' },
} as const satisfies Record<ToastVariant, { icon: IconName; textClass: string }>

function useSwipeRight(onSwiped: () => void) {
  const [start, setStart] = useState<number>()
  const [offset, setOffset] = useState(0)
  const release = () => {
    setStart(undefined)
    setOffset(0)
  }
  return {
    offset,
    handlers: {
      onPointerDown: (event: PointerEvent) => setStart(event.clientX),
      onPointerMove: (event: PointerEvent) => {
        if (start !== undefined) setOffset(Math.max(0, event.clientX - start))
      },
      onPointerUp: () => {
        if (offset >= SWIPE_THRESHOLD_PX) onSwiped()
        release()
      },
      onPointerCancel: release,
    },
  }
}

export function ToastCard({ toast }: { toast: Toast }) {
  const isError = toast.variant === 'destructive'
  const { icon, textClass } = VARIANT_DISPLAYS[toast.variant ?? 'default']
  const { offset, handlers } = useSwipeRight(() => dismiss(toast.id))
  const { action } = toast
  return (
    <li className="pointer-events-auto">
      <div
        role={isError ? 'alert' : 'status'}
        aria-atomic="true"
        className={classNames(
          'toast-in glass-sheet flex touch-pan-y items-start gap-3 rounded-box p-1.5 pl-3 shadow-xl lg:p-3 lg:pl-4',
          isError && 'border-error!',
        )}
        style={offset > 0 ? { transform: `translateX(${offset}px)` } : undefined}
        onPointerEnter={pauseExpiry}
        onPointerLeave={resumeExpiry}
        onFocus={pauseExpiry}
        onBlur={resumeExpiry}
        {...handlers}
      >
        <Icon name={icon} className={classNames('mt-1', textClass)} />
        {/* On a phone in one paragraph: no higher than the bar, as far as the words allow. */}
        <div className="min-w-0 flex-1 py-0.5 max-lg:flex max-lg:items-center max-lg:gap-2">
          <div className="min-w-0 flex-1">
            <p className="font-semibold max-lg:inline max-lg:text-note">{toast.title}</p>
            {toast.description && (
              <p className="text-note text-muted max-lg:ml-1.5 max-lg:inline">{toast.description}</p>
            )}
          </div>
          {action && (
            <button
              type="button"
              className="btn btn-sm border-primary/55 bg-transparent max-lg:h-11 lg:mt-2"
              onClick={() => {
                action.onAction()
                dismiss(toast.id)
              }}
            >
              {action.label}
            </button>
          )}
        </div>
        <IconButton
          label={t('Close notification')}
          icon="close"
          className="-my-1 -mr-1"
          onClick={() => dismiss(toast.id)}
        />
      </div>
    </li>
  )
}
