/// How many rows a transaction has changed, those of triggers aside. Belongs to one transaction.
final class WrittenRows {
    var count = 0
}
