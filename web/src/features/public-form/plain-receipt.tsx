import type { Schema } from '@/api/client'

/** For when the page after a form cannot be loaded: the request was sent all the same. */
export function PlainReceipt({ receipt }: { receipt: Schema['Created'] }) {
  return (
    <p role="status" className="p-6 text-center">
      Your reference: <strong>{receipt.reference}</strong>
    </p>
  )
}
