// Field errors of one settings part: `calls.ringSeconds` becomes `ringSeconds`.
import { ApiError } from '@/api/client'

/** The same error with the part's name taken from its fields; every other error as it is. */
export function stripErrorPrefix(error: unknown, part: string): unknown {
  if (!(error instanceof ApiError) || Object.keys(error.errors).length === 0) return error
  const { status, detail, code, requestId } = error
  const errors = Object.fromEntries(
    // A list's fault names the item; the field as a whole shows it.
    Object.entries(error.errors).map(([field, message]) => [
      field.replace(`${part}.`, '').replace(/\[.*$/, ''),
      message,
    ]),
  )
  return new ApiError({ status, detail, errors, ...(code ? { code } : {}), ...(requestId ? { requestId } : {}) })
}
