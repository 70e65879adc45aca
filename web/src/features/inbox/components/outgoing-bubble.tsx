// A message the server has not taken over yet: on its way, or left behind with the reason.
import { classNames } from '@/lib/class-names'
import { Icon } from '@/ui/icon'
import { Spinner } from '@/ui/spinner'
import type { Outgoing } from '../lib/outbox'
import { SmallAction } from './bubble-actions'

type OutgoingBubbleProps = { entry: Outgoing; onAgain: () => void; onTakeBack: () => void }

export function OutgoingBubble({ entry, onAgain, onTakeBack }: OutgoingBubbleProps) {
  const { request, fault } = entry
  return (
    <li className="flex flex-col items-end gap-0.5">
      <div
        className={classNames(
          'w-fit max-w-[88%] rounded-box rounded-br-sm border bg-primary/10 px-3 py-2 sm:max-w-[75%]',
          fault === null ? 'border-primary/40' : 'border-dashed border-error/55',
        )}
      >
        {request.channel === 'email' && (
          <p className="flex items-start gap-2 font-semibold wrap-anywhere">
            <Icon name="mail" className="mt-0.5 text-primary" />
            {request.subject}
          </p>
        )}
        <p className="wrap-anywhere whitespace-pre-line">{request.body}</p>
      </div>
      {fault === null ? (
        <p role="status" className="flex min-h-9 items-center gap-1.5 px-1 text-caption text-muted">
          <Spinner />
          Handing over...
        </p>
      ) : (
        <>
          <p
            role="alert"
            className="flex min-h-9 max-w-[88%] items-start gap-1 px-1 text-caption font-semibold text-error"
          >
            <Icon name="alert" className="mt-0.5 size-4" />
            <span>Not sent: {fault}</span>
          </p>
          <div className="flex flex-wrap justify-end gap-2 pb-1">
            <SmallAction icon="refresh" onClick={onAgain}>
              Try again
            </SmallAction>
            <SmallAction icon="arrow-left" onClick={onTakeBack}>
              Take back
            </SmallAction>
          </div>
        </>
      )}
    </li>
  )
}
