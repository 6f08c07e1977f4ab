import BackstitchSupport

/// A request for a table of the machine's network.
enum NetlinkDump: UInt16 {
    /// RTM_GETLINK and RTM_GETROUTE of linux/rtnetlink.h.
    case links = 18, routes = 26

    /// Returns the request message: an nlmsghdr with NLM_F_REQUEST and NLM_F_DUMP, and a body of zeros, which means any
    /// family.
    func question(_ sequence: UInt32) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 32)
        bytes.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: 32, as: UInt32.self)
            bytes.storeBytes(of: rawValue, toByteOffset: 4, as: UInt16.self)
            bytes.storeBytes(of: 0x301, toByteOffset: 6, as: UInt16.self)
            bytes.storeBytes(of: sequence, toByteOffset: 8, as: UInt32.self)
        }
        return bytes
    }
}
