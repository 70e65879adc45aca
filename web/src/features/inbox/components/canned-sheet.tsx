// Replies kept ready: pick one, keep what stands in the field as a new one, remove one.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError } from '@/api/errors'
import { useCurrentUser } from '@/session/use-session'
import { Button, IconButton } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextAreaField, TextField } from '@/ui/field'
import { Form } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { QueryBoundary } from '@/ui/query-boundary'
import { inboxMessages } from '../messages'
import { useAddCannedReply, useRemoveCannedReply } from '../mutations'
import { inboxQueries } from '../queries'
import { cannedReplySchema } from '../schema'
import type { CannedReply } from '../types'

type CannedSheetProps = { onClose: () => void; /** What stands in the field now. */ text: string; onPick: (body: string) => void }

export function CannedSheet({ onClose, text, onPick }: CannedSheetProps) {
  const { orgId } = useCurrentUser()
  const replies = useQuery(inboxQueries.cannedReplies(orgId))
  const [isAdding, setIsAdding] = useState(false)
  const pick = (body: string) => {
    onPick(body)
    onClose()
  }
  return (
    <Dialog open onClose={onClose} title={isAdding ? 'New reply' : 'Replies kept ready'}>
      {isAdding
        ? <AddReply text={text} onDone={() => setIsAdding(false)} />
        : (
          <div className="grid gap-4">
            <QueryBoundary query={replies} errorText={inboxMessages.canned.listFailed} isEmpty={(list) => list.length === 0} empty={<p className="text-muted">What you write often, kept in one place: directions, prices, “on my way”. Everybody in your business can use it.</p>}>
              {(list) => <ul className="grid gap-2">{list.map((reply) => <Reply key={reply.id} reply={reply} onPick={() => pick(reply.body)} />)}</ul>}
            </QueryBoundary>
            <Button variant="secondary" icon="plus" wide onClick={() => setIsAdding(true)}>New reply</Button>
          </div>
        )}
    </Dialog>
  )
}

function Reply({ reply, onPick }: { reply: CannedReply; onPick: () => void }) {
  const remove = useRemoveCannedReply()
  const [isSure, setIsSure] = useState(false)
  return (
    <li className="flex items-stretch gap-1 rounded-field border border-primary/22">
      <button type="button" onClick={onPick} className="min-w-0 flex-1 rounded-field p-3 text-left hover:bg-primary/8">
        <span className="block font-semibold wrap-anywhere">{reply.title}</span>
        <span className="line-clamp-2 text-note text-muted wrap-anywhere">{reply.body}</span>
      </button>
      {isSure
        ? <Button variant="danger" className="m-2 self-center" pending={remove.isPending} onClick={() => remove.mutate(reply.id)}>Remove</Button>
        : <IconButton label={`Remove “${reply.title}”`} icon="close" className="self-center" onClick={() => setIsSure(true)} />}
    </li>
  )
}

function AddReply({ text, onDone }: { text: string; onDone: () => void }) {
  const add = useAddCannedReply()
  const [fault, setFault] = useState<string>()
  return (
    <Form
      label="New reply"
      schema={cannedReplySchema}
      defaultValues={{ title: '', body: text }}
      className="grid gap-4"
      onSubmit={async (values) => {
        await add.mutateAsync(values)
        onDone()
      }}
      onFailure={(error) => setFault(describeError(error, inboxMessages.canned.failure).description)}
    >
      {(form) => (
        <>
          <TextField form={form} name="title" label="Title" required maxLength={60} placeholder="On my way" />
          <TextAreaField form={form} name="body" label="Words" required maxLength={1530} />
          {fault && <Notice tone="error" title={inboxMessages.canned.failure.title}><p>{fault}</p></Notice>}
          <div className="flex flex-wrap justify-end gap-2">
            <Button variant="ghost" onClick={onDone}>Cancel</Button>
            <Button type="submit" icon="check" pending={form.formState.isSubmitting} pendingText="Saving...">Save reply</Button>
          </div>
        </>
      )}
    </Form>
  )
}
