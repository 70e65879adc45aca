// Erasure with its effects, confirmed by the typed name.
import { useState } from 'react'
import { plural, t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Field } from '@/ui/field'
import { OtherRecords } from '../components/other-records'
import { useEraseCustomer } from '../mutations'
import type { PersonalData } from '../types'

export function EraseCustomerDialog({ data, onClose }: { data: PersonalData; onClose: () => void }) {
  const [name, setName] = useState('')
  const erase = useEraseCustomer(data.customerId)
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('Erase {name}?', { name: data.name })}
      actions={
        <>
          <Button variant="ghost" onClick={onClose}>
            {t('Keep')}
          </Button>
          <Button
            variant="danger"
            icon="trash"
            disabled={name.trim() !== data.name.trim()}
            pending={erase.isPending}
            pendingText={t('Erasing...')}
            onClick={() => erase.mutate(name, { onSuccess: onClose })}
          >
            {t('Erase in 3 days')}
          </Button>
        </>
      }
    >
      <div className="grid gap-4">
        <section>
          <h3 className="font-semibold">{t('What goes')}</h3>
          <ul className="list-disc pl-5 text-note">
            <li>{t('Name, phone numbers, email and addresses')}</li>
            <li>
              {t('The words of {requests} and {messages}', {
                requests: plural(data.requests, '{count} request', '{count} requests'),
                messages: plural(data.messages, '{count} message', '{count} messages'),
              })}
            </li>
            <li>{plural(data.photosAndFiles, '{count} photo or file', '{count} photos and files')}</li>
            <li>{t('Signatures, network addresses and notes')}</li>
          </ul>
        </section>
        <section>
          <h3 className="font-semibold">{t('What stays')}</h3>
          <ul className="list-disc pl-5 text-note">
            <li>
              {t('Numbers, dates, lines and totals of {papers} and {payments}, without the name', {
                papers: plural(data.papers, '{count} estimate or invoice', '{count} estimates and invoices'),
                payments: plural(data.payments, '{count} payment', '{count} payments'),
              })}
            </li>
            <li>{t('A coded note that they want no messages, if they said so')}</li>
            <li>{t('The activity log, which holds no customer names')}</li>
            <li>{t('Safety copies until they expire. A restored copy erases this customer again')}</li>
          </ul>
        </section>
        <OtherRecords records={data.otherRecords} />
        <p className="text-note">{t('You can undo this for 3 days.')}</p>
        <Field label={t('Type {name}', { name: data.name })} required unmarked>
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
