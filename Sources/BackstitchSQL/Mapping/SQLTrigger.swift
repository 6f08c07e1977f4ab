/// A trigger for a derived column, as a dialect writes it: `CREATE TRIGGER name AFTER event ON table action`.
package struct SQLTrigger {
    let name: String
    let event: String
    let action: String

    /// Creates a trigger from its parts.
    ///
    /// - Parameters:
    ///   - name: The name, without quotes.
    ///   - event: The changes that fire it: `UPDATE OF "title"`.
    ///   - action: The text after the table's name.
    package init(_ name: String, after event: String, action: String) {
        (self.name, self.event, self.action) = (name, event, action)
    }
}
