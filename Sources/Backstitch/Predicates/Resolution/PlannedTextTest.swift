/// The place of one text in another.
package enum PlannedTextTest: Sendable, Hashable {
    case contains, beginsWith, endsWith
}
