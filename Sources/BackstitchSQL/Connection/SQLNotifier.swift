/// A connection by which the processes that share a database tell each other short texts. Texts may get lost: whoever
/// needs them looks into the database from time to time as well.
package protocol SQLNotifier: AnyObject, Sendable {
    /// Sends what is to be sent, and gives `hear` the texts that arrive, those of this process too, until ``close()``.
    /// Blocks; called once.
    ///
    /// - Throws: Why the connection is lost.
    func run(_ hear: ([String]) -> Void) throws

    /// Has texts of less than 8,000 bytes sent to everybody who listens, outside any transaction. Returns at once.
    func send(_ texts: [String])

    /// Ends ``run(_:)``, which lets go of the connection.
    func close()
}
