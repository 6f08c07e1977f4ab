import Backstitch

/// A condition, and the depth of its nested parentheses.
struct SQLCondition {
    var fragment: SQLFragment
    var depth = 0
}
