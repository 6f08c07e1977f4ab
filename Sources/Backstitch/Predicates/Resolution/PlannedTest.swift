/// A test of a value. Nil passes only ``absent`` and equality with nil.
package indirect enum PlannedTest: Sendable {
    /// No value passes the test.
    case never
    /// Only nil passes the test.
    case absent
    /// Any value except nil passes.
    case present
    /// A value equal to the operand passes; nil passes if both are nil.
    case equal(PlannedOperand)
    /// Nil passes if the operand is nil too. Values of unlike types can only be equal in this way.
    case bothAbsent(PlannedOperand)
    /// A value before or after the operand passes.
    case ordered(PlannedOrder, PlannedOperand)
    /// A value passes if it passes both tests.
    case both(PlannedTest, PlannedTest)
    /// A value of the set passes.
    case member(PlannedSet)
    /// Text passes if it contains, begins with or ends with the operand.
    case text(PlannedTextTest, PlannedOperand)
    /// Text passes if a pattern of `LIKE` matches it.
    case like(LikePattern)
    /// Text passes if a regular expression matches it.
    case matches(RegularPattern)
}
