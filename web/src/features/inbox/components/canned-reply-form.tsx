// Canned reply form, without the form library.
import { type FormEvent, type ReactNode, useId, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Notice } from '@/ui/notice'
import { StatusLine } from '@/ui/status-line'
import { inboxMessages } from '../messages'
import { useAddCannedReply } from '../mutations'

const LIMITS = { title: 60, body: 1530 } as const

type FieldName = keyof typeof LIMITS
type FieldErrors = Readonly<Partial<Record<FieldName, string>>>

function validateReply(values: Record<FieldName, string>): FieldErrors {
  const { titleRequired, wordsRequired } = inboxMessages.canned
  return {
    ...(values.title === '' ? { title: titleRequired } : {}),
    ...(values.body === '' ? { body: wordsRequired } : {}),
  }
}

export function CannedReplyForm({
  text,
  onDone,
}: {
  /** Former text of the field. */ text: string
  onDone: () => void
}) {
  const add = useAddCannedReply()
  const [values, setValues] = useState({ title: '', body: text })
  const [wasTried, setWasTried] = useState(false)
  const trimmed = { title: values.title.trim(), body: values.body.trim() }
  const serverErrors = add.error instanceof ApiError ? (add.error.errors as FieldErrors) : {}
  const fieldErrors = { ...serverErrors, ...(wasTried ? validateReply(trimmed) : {}) }
  const change = (parts: Partial<typeof values>) => {
    setValues({ ...values, ...parts })
    add.reset()
  }
  const save = (event: FormEvent) => {
    event.preventDefault()
    setWasTried(true)
    if (Object.keys(validateReply(trimmed)).length === 0) add.mutate(trimmed, { onSuccess: onDone })
  }
  return (
    <form aria-label={t('New reply')} noValidate className="grid gap-4" onSubmit={save}>
      <LabelledField label={t('Title')} error={fieldErrors.title}>
        {(field) => (
          <input
            {...field}
            className="input"
            maxLength={LIMITS.title}
            placeholder={t('On my way')}
            value={values.title}
            onChange={(event) => change({ title: event.target.value })}
          />
        )}
      </LabelledField>
      <LabelledField label={t('Words')} error={fieldErrors.body}>
        {(field) => (
          <textarea
            {...field}
            className="textarea field-sizing-content max-h-60 min-h-24 py-2.5"
            maxLength={LIMITS.body}
            value={values.body}
            onChange={(event) => change({ body: event.target.value })}
          />
        )}
      </LabelledField>
      {add.error && Object.keys(serverErrors).length === 0 && (
        <Notice tone="error" title={inboxMessages.canned.failure.title}>
          <p>{describeError(add.error, inboxMessages.canned.failure).description}</p>
        </Notice>
      )}
      <div className="flex flex-wrap justify-end gap-2">
        <Button variant="ghost" onClick={onDone}>
          {t('Cancel')}
        </Button>
        <Button type="submit" icon="check" pending={add.isPending} pendingText={t('Saving...')}>
          {t('Save reply')}
        </Button>
      </div>
    </form>
  )
}

type FieldProps = { id: string; 'aria-required': true; 'aria-invalid': boolean; 'aria-describedby': string | undefined }
type LabelledProps = { label: string; error: string | undefined; children: (field: FieldProps) => ReactNode }

function LabelledField({ label, error, children }: LabelledProps) {
  const id = useId()
  return (
    <div className="grid gap-1.5">
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      {children({
        id,
        'aria-required': true,
        'aria-invalid': error !== undefined,
        'aria-describedby': error === undefined ? undefined : `${id}-fault`,
      })}
      {error && (
        <div id={`${id}-fault`} role="alert">
          <StatusLine tone="error" icon="alert">
            {error}
          </StatusLine>
        </div>
      )}
    </div>
  )
}
