/// The names of a store's zones in the program, and on the server, where zones of other stores are too: there they
/// begin with the name of the store's main zone and a dot.
struct ZoneNames: Sendable {
    let main: String

    /// The name on the server.
    func onServer(_ name: String) -> String { "\(main).\(name)" }

    /// The name that the program knows; nil for the main zone, and for zones that are no business of the store.
    func inProgram(_ name: String) -> String? {
        name.hasPrefix("\(main).") && name.count > main.count + 1 ? String(name.dropFirst(main.count + 1)) : nil
    }

    /// Whether a zone of the server is one of the store's, or may become one.
    func isOwn(_ name: String) -> Bool { name == main || inProgram(name) != nil }
}
