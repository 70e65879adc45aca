import { useEffect, useRef } from 'react'
import { isTemporary, formatWait } from '@/api/errors'
import { ApiError, NetworkError } from '@/api/client'
import { formatPhone, telHref } from '@/lib/format/phone'
import { Notice } from '@/ui/notice'

type FormFailureProps = {
  error: unknown
  title: string
  advice: string
  /** Fields that show the server's message themselves; any other message is shown here. */
  fields: readonly string[]
  orgName: string | undefined
  phone: string | null | undefined
}

/** One sentence on what happened; empty where the server has nothing a visitor could use. */
function failureReason(error: unknown, fields: readonly string[]): string {
  if (error instanceof NetworkError)
    return 'You seem to be offline. Everything you typed is still here; send it again when you are back online.'
  if (!(error instanceof ApiError)) return ''
  if (isTemporary(error)) {
    const wait = error.retryAfterSeconds ? ` Please try again in ${formatWait(error.retryAfterSeconds)}.` : ''
    return `We cannot take requests at this very moment. Everything you typed is still here.${wait}`
  }
  if (error.code === 'too_many_requests') {
    return `Too many requests came from your network. Please wait ${formatWait(error.retryAfterSeconds ?? 60)}; everything you typed is still here.`
  }
  if (error.code === 'business_unconfirmed') return `${error.detail} Everything you typed is still here.`
  const entries = Object.entries(error.errors)
  if (entries.length > 0) {
    const elsewhere = entries.filter(([field]) => !fields.includes(field)).map(([, message]) => message)
    return elsewhere.length > 0 ? elsewhere.join(' ') : 'Please check the fields marked above.'
  }
  return error.status < 500 ? error.detail : ''
}

/** Text fields with a message take the focus themselves; photos are no such field. */
function hasFocusableField(error: unknown, fields: readonly string[]): boolean {
  return (
    error instanceof ApiError && Object.keys(error.errors).some((field) => field !== 'photos' && fields.includes(field))
  )
}

export function FormFailure({ error, title, advice, fields, orgName, phone }: FormFailureProps) {
  const box = useRef<HTMLDivElement>(null)
  const why = failureReason(error, fields)
  const isToBeShown = !hasFocusableField(error, fields)
  // On a phone the button floats: the reason may stand below the fold.
  useEffect(() => {
    if (isToBeShown) box.current?.scrollIntoView({ block: 'center' })
  }, [isToBeShown])
  return (
    <div ref={box}>
      <Notice tone="error" title={title} icon={error instanceof NetworkError ? 'offline' : 'alert'}>
        {why && <p>{why}</p>}
        <p>{advice}</p>
        {phone && (
          <p>
            <a href={telHref(phone)} className="text-link inline-flex min-h-12 items-center">
              Call {orgName ?? 'us'} at {formatPhone(phone)}
            </a>
          </p>
        )}
      </Notice>
    </div>
  )
}
