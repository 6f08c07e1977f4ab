extension String {
    /// Whether the text names only this machine, as the host of an address. Such hosts are `localhost`, `::1`, and an
    /// IPv4 address in 127.0.0.0/8, written with four numbers. Other names may resolve to any machine:
    /// `127.example.org` is one.
    package var isLoopbackHost: Bool {
        if self == "localhost" || self == "::1" { return true }
        let parts = split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts.allSatisfy { UInt8($0) != nil } && parts[0] == "127"
    }
}
