/// A trigger that keeps a derived column, as a dialect writes it: `CREATE TRIGGER name AFTER event ON table action`.
package struct SQLTrigger {
    let name: String
    let event: String
    let action: String

    /// A trigger.
    ///
    /// - Parameters:
    ///   - name: Its name, without quotes.
    ///   - event: After which changes it fires: `UPDATE OF "title"`.
    ///   - action: Everything that stands behind the table's name.
    package init(_ name: String, after event: String, action: String) {
        (self.name, self.event, self.action) = (name, event, action)
    }
}
