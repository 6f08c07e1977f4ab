/// A test of a value. Nil passes ``absent`` and equality with nil only.
package indirect enum PlannedTest: Sendable {
    /// No value passes.
    case never
    /// Nil.
    case absent
    /// Any value but nil.
    case present
    /// A value equal to the operand's, or both nil.
    case equal(PlannedOperand)
    /// Nil, where the operand is nil too: all that values of unlike types have in common.
    case bothAbsent(PlannedOperand)
    /// A value before or after the operand's.
    case ordered(PlannedOrder, PlannedOperand)
    /// Both tests.
    case both(PlannedTest, PlannedTest)
    /// One of the values.
    case member(PlannedSet)
    /// Text that contains, begins or ends with the operand's.
    case text(PlannedTextTest, PlannedOperand)
    /// Text that a pattern of `LIKE` matches.
    case like(LikePattern)
    /// Text that a regular expression matches.
    case matches(RegularPattern)
}
