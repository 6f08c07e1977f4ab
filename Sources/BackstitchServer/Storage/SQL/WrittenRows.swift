/// The number of rows changed by one transaction, without the changes of triggers.
final class WrittenRows {
    var count = 0
}
