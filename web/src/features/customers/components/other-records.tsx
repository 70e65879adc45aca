// Records that an erasure leaves although they name the same phone or email.
import { Link } from 'react-router-dom'
import { t } from '@/lib/i18n'
import { paths } from '@/lib/paths'
import type { PersonalData } from '../types'

export function OtherRecords({ records }: { records: PersonalData['otherRecords'] }) {
  if (records.length === 0) return null
  return (
    <div className="text-note">
      <p>{t('Also on file. Erase each of them too if they are the same person:')}</p>
      <ul className="list-disc pl-5">
        {records.map(({ id, name, why }) => (
          <li key={id} className="wrap-anywhere">
            <Link to={paths.customer(id)} className="text-link inline-block min-h-6">
              {name}
            </Link>
            <span className="block text-caption text-muted">{why}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
