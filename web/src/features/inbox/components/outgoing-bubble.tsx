// Message not yet accepted by the server.
import { classNames } from '@/lib/class-names'
import { Icon } from '@/ui/icon'
import { Spinner } from '@/ui/spinner'
import type { OutgoingMessage } from '../lib/message-outbox'
import { BubbleButton } from './bubble-actions'

type OutgoingBubbleProps = { entry: OutgoingMessage; onAgain: () => void; onTakeBack: () => void }

export function OutgoingBubble({ entry, onAgain, onTakeBack }: OutgoingBubbleProps) {
  const { request, fault: error } = entry
  return (
    <li className="flex flex-col items-end gap-0.5">
      <div
        className={classNames(
          'w-fit max-w-[88%] rounded-box rounded-br-sm border bg-primary/10 px-3 py-2 sm:max-w-[75%]',
          error === null ? 'border-primary/40' : 'border-dashed border-error/55',
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
      {error === null ? (
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
            <span>Not sent: {error}</span>
          </p>
          <div className="flex flex-wrap justify-end gap-2 pb-1">
            <BubbleButton icon="refresh" onClick={onAgain}>
              Try again
            </BubbleButton>
            <BubbleButton icon="arrow-left" onClick={onTakeBack}>
              Take back
            </BubbleButton>
          </div>
        </>
      )}
    </li>
  )
}
