"""What the simulated servers are made of. Every figure here is made up and named so."""

from __future__ import annotations

from dataclasses import dataclass

MANUFACTURER = "Clusterwright lab (simulated)"
MODEL = "Simulated server"
PROCESSORS = ("CPU-1", "CPU-2")
MEMORY = ("DIMM-A1", "DIMM-A2", "DIMM-B1", "DIMM-B2")
MEMORY_MIB = 16384
FANS = ("FAN-1", "FAN-2", "FAN-3", "FAN-4")
POWER_SUPPLIES = ("PSU-1", "PSU-2")
TEMPERATURES_C = {"Inlet": (22, 22), "CPU-1": (24, 48), "CPU-2": (24, 51)}
TOO_HOT_C = 45
FAN_RPM = 4200
WATTS_OFF = 14
WATTS_ON = 320

ON_OFF = ("Enabled", "Disabled")
# attribute -> the values it takes; the first is the factory's
BIOS = {
    "BootMode": ("Uefi", "Bios"),
    "LogicalProc": ON_OFF,
    "NumaNodesPerSocket": ("1", "2", "4"),
    "PcieAcs": ON_OFF,
    "ProcVirtualization": ON_OFF,
    "SriovGlobalEnable": ("Disabled", "Enabled"),
    "WorkloadProfile": ("Balanced", "HighPerformanceCompute"),
}
# component -> the version it leaves the factory with; the BMC takes a new one at once, the others at the next boot
FIRMWARE = {"BMC": "1.0.0", "BIOS": "1.0.0", "NIC-1": "1.0.0", "NIC-2": "1.0.0", "BootDrive": "1.0.0"}
SWITCH_FIRMWARE = {"BMC": "1.0.0", "BIOS": "1.0.0", "CPLD": "1.0.0", "SwitchOS": "1.0.0"}
AT_ONCE = "BMC"
UPDATE_S = 3.0
BOOT_TARGETS = ("None", "Pxe", "Hdd", "Cd", "BiosSetup")
BOOT_CONTROLLER = "Boot"
DRIVES = ("M2-1", "M2-2")
DRIVE_BYTES = 480_103_981_056
# RAID type -> the drives it takes
RAID = {"RAID0": 1, "RAID1": 2}
VOLUME_S = 2.0
CARDS = ("NIC-1", "NIC-2")
CARD_LANES = 16
LOG_PAGE = 20
SLOW_S = 2.0


@dataclass(frozen=True)
class Fault:
    """Something that can be broken on purpose: what the log says when it breaks, and how bad it is."""

    says: str
    severity: str = "Critical"


FAULTS = {
    "accounts": Fault("Account database cannot be written: a new password is taken and forgotten", "Warning"),
    "fan": Fault("Fan FAN-3 stopped"),
    "garbled": Fault("Sensor service is out of memory", "Warning"),
    "busbar": Fault("Output to the busbar below its lower limit"),
    "boot-drive": Fault("Drive M2-2 failed; volumes on it are degraded"),
    "memory": Fault("Uncorrectable ECC error on DIMM-B1"),
    "pcie": Fault("NIC-2 trained with half of its lanes", "Warning"),
    "post": Fault("POST halted: memory initialisation does not end"),
    "power": Fault("Power cannot be switched: sequencer fault"),
    "power-supply": Fault("Power supply PSU-2 lost its input; redundancy lost", "Warning"),
    "slow": Fault("Management processor is overloaded", "Warning"),
    "temperature": Fault("Inlet temperature above its critical threshold"),
    "update": Fault("Firmware flash is write protected", "Warning"),
    "unreachable": Fault("Network controller of the BMC hangs", "Warning"),
}
