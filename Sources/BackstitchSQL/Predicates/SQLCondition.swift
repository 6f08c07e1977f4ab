import Backstitch

/// A condition, and how deep its parentheses are nested.
struct SQLCondition {
    var fragment: SQLFragment
    var depth = 0
}
