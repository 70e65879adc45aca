// A person says that a difference between the books and Stripe is in order.
import * as z from 'zod/mini'
import { ApiError, type Schema } from '@/api/client'
import { describeError } from '@/api/errors'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { Notice } from '@/ui/notice'
import { cardPaymentMessages, useSettleDifference } from './queries'

const schema = z.object({ note: z.string().check(z.trim()) })

const describeFailure = (error: unknown): string =>
  error instanceof ApiError && error.status === 404
    ? cardPaymentMessages.settleOutdated
    : describeError(error).description

type SettleDifferenceDialogProps = {
  difference: Schema['MoneyDifference']
  onClose: () => void
  onSettled: () => void
}

export function SettleDifferenceDialog({ difference, onClose, onSettled }: SettleDifferenceDialogProps) {
  const settle = useSettleDifference()
  const submit = async ({ note }: z.infer<typeof schema>) => {
    await settle.mutateAsync({ key: difference.key, ...(note === '' ? {} : { note }) })
    onClose()
    onSettled()
  }
  return (
    <Dialog open onClose={onClose} title={t('Mark as settled?')}>
      <Form
        label={t('Settle a difference')}
        schema={schema}
        defaultValues={{ note: '' }}
        onSubmit={submit}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <p className="wrap-anywhere">{difference.text}</p>
            <p>{t('Your books and Stripe stay as they are. Your name is shown with it. You can undo this.')}</p>
            <TextField
              form={form}
              name="note"
              label={t('Note')}
              maxLength={500}
              autoComplete="off"
              hint={t('What became of it, for your own records')}
            />
            {settle.isError && (
              <Notice tone="error" title={cardPaymentMessages.settleFailed}>
                {describeFailure(settle.error)}
              </Notice>
            )}
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" pending={settle.isPending} pendingText={t('Marking...')}>
                {t('Mark as settled')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}
