import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useCurrentUser } from '@/features/session/use-session'
import { t } from '@/lib/i18n'
import { Button, IconButton } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { QueryBoundary } from '@/ui/query-boundary'
import { inboxMessages } from '../messages'
import { useRemoveCannedReply } from '../mutations'
import { inboxQueries } from '../queries'
import type { CannedReply } from '../types'
import { CannedReplyForm } from './canned-reply-form'

type CannedSheetProps = {
  onClose: () => void
  /** Current text of the field. */ text: string
  onPick: (body: string) => void
}

export function CannedSheet({ onClose, text, onPick }: CannedSheetProps) {
  const { orgId } = useCurrentUser()
  const replies = useQuery(inboxQueries.cannedReplies(orgId))
  const [isAdding, setIsAdding] = useState(false)
  const pick = (body: string) => {
    onPick(body)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={isAdding ? t('New reply') : t('Replies kept ready')}>
      {isAdding ? (
        <CannedReplyForm text={text} onDone={() => setIsAdding(false)} />
      ) : (
        <div className="grid gap-4">
          <QueryBoundary
            query={replies}
            errorText={inboxMessages.canned.listFailed}
            isEmpty={(list) => list.length === 0}
            empty={
              <p className="text-muted">
                {t(
                  'What you write often, kept in one place: directions, prices, “on my way”. Everybody in your business can use it.',
                )}
              </p>
            }
          >
            {(list) => (
              <ul className="grid gap-2">
                {list.map((reply) => (
                  <ReplyRow key={reply.id} reply={reply} onPick={() => pick(reply.body)} />
                ))}
              </ul>
            )}
          </QueryBoundary>
          <Button variant="secondary" icon="plus" wide onClick={() => setIsAdding(true)}>
            {t('New reply')}
          </Button>
        </div>
      )}
    </Dialog>
  )
}

function ReplyRow({ reply, onPick }: { reply: CannedReply; onPick: () => void }) {
  const remove = useRemoveCannedReply()
  const [isSure, setIsSure] = useState(false)
  return (
    <li className="flex items-stretch gap-1 rounded-field border border-primary/22">
      <button type="button" onClick={onPick} className="min-w-0 flex-1 rounded-field p-3 text-left hover:bg-primary/8">
        <span className="block font-semibold wrap-anywhere">{reply.title}</span>
        <span className="line-clamp-2 text-note text-muted wrap-anywhere">{reply.body}</span>
      </button>
      {isSure ? (
        <Button
          variant="danger"
          className="m-2 self-center"
          pending={remove.isPending}
          onClick={() => remove.mutate(reply.id)}
        >
          {t('Remove')}
        </Button>
      ) : (
        <IconButton
          label={t('Remove “{title}”', { title: reply.title })}
          icon="close"
          className="self-center"
          onClick={() => setIsSure(true)}
        />
      )}
    </li>
  )
}
