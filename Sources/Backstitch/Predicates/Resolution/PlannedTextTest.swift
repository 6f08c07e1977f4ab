/// Where in a text another is looked for.
package enum PlannedTextTest: Sendable, Hashable {
    case contains, beginsWith, endsWith
}
