/// A connection for short texts between the processes that share a database. Texts can get lost, so each receiver also
/// queries the database from time to time.
package protocol SQLNotifier: AnyObject, Sendable {
    /// Sends the waiting texts, and passes arriving texts to `hear`, also those of this process, until ``close()``.
    /// Blocks; called once.
    ///
    /// - Throws: The reason why the connection was lost.
    func run(_ hear: ([String]) -> Void) throws

    /// Sends texts of less than 8,000 bytes to all listeners, outside any transaction. Returns at once.
    func send(_ texts: [String])

    /// Ends ``run(_:)``, which then closes the connection.
    func close()
}
