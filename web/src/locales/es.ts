// Spanish texts of the app, by their English ones. Each area has a file of its own.
const files = import.meta.glob<Record<string, string>>('./es/*.json', { eager: true, import: 'default' })

export const SPANISH: Record<string, string> = Object.assign({}, ...Object.values(files))
