import { chooseTheme, useTheme } from '@/lib/theme'
import { IconButton } from './button'

export function ThemeButton() {
  const isDay = useTheme() === 'toolbox-day'
  return (
    <IconButton
      label={isDay ? 'Switch to the dark theme' : 'Switch to the light theme'}
      icon={isDay ? 'moon' : 'sun'}
      onClick={() => chooseTheme(isDay ? 'toolbox' : 'toolbox-day')}
    />
  )
}
