// Erasure with its effects, confirmed by the typed name.
import { useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { OtherRecords } from '../components/other-records'
import { useEraseCustomer } from '../mutations'
import type { PersonalData } from '../types'

const formatItemCount = (many: number, one: string, more = `${one}s`) => `${many} ${many === 1 ? one : more}`

export function EraseCustomerDialog({ data, onClose }: { data: PersonalData; onClose: () => void }) {
  const [name, setName] = useState('')
  const erase = useEraseCustomer(data.customerId)
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Erase ${data.name}?`}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            Keep
          </Button>
          <Button
            variant="danger"
            icon="trash"
            disabled={name.trim() !== data.name.trim()}
            pending={erase.isPending}
            pendingText="Erasing..."
            onClick={() => erase.mutate(name, { onSuccess: onClose })}
          >
            Erase in 3 days
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <section>
          <h3 className="font-semibold">What goes</h3>
          <ul className="list-disc pl-5 text-note">
            <li>Name, phone numbers, email and addresses</li>
            <li>
              The words of {formatItemCount(data.requests, 'request')} and {formatItemCount(data.messages, 'message')}
            </li>
            <li>{formatItemCount(data.photosAndFiles, 'photo or file', 'photos and files')}</li>
            <li>Signatures, network addresses and notes</li>
          </ul>
        </section>
        <section>
          <h3 className="font-semibold">What stays</h3>
          <ul className="list-disc pl-5 text-note">
            <li>
              Numbers, dates, lines and totals of{' '}
              {formatItemCount(data.papers, 'estimate or invoice', 'estimates and invoices')} and{' '}
              {formatItemCount(data.payments, 'payment')}, without the name
            </li>
            <li>A coded note that they want no messages, if they said so</li>
            <li>The activity log, which holds no customer names</li>
            <li>Safety copies until they expire. A restored copy erases this customer again</li>
          </ul>
        </section>
        <OtherRecords records={data.otherRecords} />
        <p className="text-note">You can undo this for 3 days.</p>
        <Field label={`Type ${data.name}`} required unmarked>
          {(aria) => (
            <input
              className="input"
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...aria}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}
