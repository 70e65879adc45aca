import { t } from '@/lib/i18n'
import { chooseTheme, useTheme } from '@/lib/theme'
import { IconButton } from './button'

export function ThemeButton() {
  const isDay = useTheme() === 'toolbox-day'
  return (
    <IconButton
      label={isDay ? t('Switch to the dark theme') : t('Switch to the light theme')}
      icon={isDay ? 'moon' : 'sun'}
      onClick={() => chooseTheme(isDay ? 'toolbox' : 'toolbox-day')}
    />
  )
}
