// Words of the API for a job without a crew or an address, as they are shown.
import { UNASSIGNED } from '@/domain/job'
import { t } from '@/lib/i18n'

const NO_CREW = 'Unassigned'
export const NO_PLACE = 'No address'

export const crewLabel = (crew: string): string => (crew === '' || crew === NO_CREW ? UNASSIGNED : crew)
export const placeLabel = (location: string): string => (location === NO_PLACE ? t('No address') : location)
