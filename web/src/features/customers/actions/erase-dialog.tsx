// Erasing a customer: what goes, what stays, and the name typed as a proof that this one is meant.
import { useState } from 'react'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { useEraseCustomer } from '../mutations'
import type { PersonalData } from '../types'

const count = (many: number, one: string, more = `${one}s`) => `${many} ${many === 1 ? one : more}`

export function EraseDialog({ data, onClose }: { data: PersonalData; onClose: () => void }) {
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
              The words of {count(data.requests, 'request')} and {count(data.messages, 'message')}
            </li>
            <li>{count(data.photosAndFiles, 'photo or file', 'photos and files')}</li>
            <li>Signatures, network addresses and notes</li>
          </ul>
        </section>
        <section>
          <h3 className="font-semibold">What stays</h3>
          <ul className="list-disc pl-5 text-note">
            <li>
              Numbers, dates, lines and sums of {count(data.papers, 'estimate or invoice', 'estimates and invoices')}{' '}
              and {count(data.payments, 'payment')}, without the name
            </li>
            <li>A sealed mark that they asked for no messages, if they did</li>
            <li>The activity log, which holds no customer names</li>
            <li>Backups until they expire. A restored backup erases this customer again</li>
          </ul>
        </section>
        <p className="text-note">You can undo this for 3 days.</p>
        <Field label={`Type ${data.name}`} required unmarked>
          {(wiring) => (
            <input
              className="input"
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.target.value)}
              {...wiring}
            />
          )}
        </Field>
      </div>
    </Dialog>
  )
}
