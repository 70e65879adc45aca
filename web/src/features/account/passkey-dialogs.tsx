import * as z from 'zod/mini'
import type { Schema } from '@/api/client'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { TextField } from '@/ui/field'
import { Form, ignoreFailure } from '@/ui/form'
import { accountMessages as texts } from './messages'
import { useRemovePasskey, useRenamePasskey } from './queries'

type DialogProps = { passkey: Schema['Passkey']; onClose: () => void }

const nameSchema = z.object({
  name: z.string().check(z.trim(), z.minLength(1, texts.passkeys.missing), z.maxLength(60)),
})

export function RenamePasskeyDialog({ passkey: { id, name }, onClose }: DialogProps) {
  const rename = useRenamePasskey()
  const save = async (values: z.infer<typeof nameSchema>) => {
    await rename.mutateAsync({ id, ...values })
    onClose()
  }
  return (
    <Dialog open title={t('Rename the passkey')} onClose={onClose}>
      <Form
        label={t('Rename the passkey')}
        schema={nameSchema}
        defaultValues={{ name }}
        onSubmit={save}
        onFailure={ignoreFailure}
        className="grid gap-4"
      >
        {(form) => (
          <>
            <TextField form={form} name="name" label={t('Name')} required autoComplete="off" />
            <div className="flex flex-wrap justify-end gap-2">
              <Button variant="ghost" onClick={onClose}>
                {t('Cancel')}
              </Button>
              <Button type="submit" pending={form.formState.isSubmitting} pendingText={t('Saving...')}>
                {t('Save')}
              </Button>
            </div>
          </>
        )}
      </Form>
    </Dialog>
  )
}

export function RemovePasskeyDialog({ passkey: { id, name }, onClose }: DialogProps) {
  const remove = useRemovePasskey()
  return (
    <Dialog
      open
      title={t('Remove {name}?', { name })}
      onClose={onClose}
      actions={
        <>
          <Button
            variant="danger"
            pending={remove.isPending}
            pendingText={t('Removing...')}
            onClick={() => remove.mutate(id, { onSuccess: onClose })}
          >
            {t('Remove')}
          </Button>
          <Button onClick={onClose}>{t('Keep it')}</Button>
        </>
      }
    >
      <p>{t('It no longer signs you in, and every other device is signed out. Remove it on the device too.')}</p>
    </Dialog>
  )
}
