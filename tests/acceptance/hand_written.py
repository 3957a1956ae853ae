"""Texts nobody captured: the machine of the fixtures has neither GPU nor systemd nor DMI. Written by hand."""

from __future__ import annotations

GPU = """
  <gpu id="00000000:{bus}:00.0"><pci><pci_gpu_link_info>
    <pcie_gen><max_link_gen>5</max_link_gen><current_link_gen>{gen}</current_link_gen></pcie_gen>
    <link_widths><max_link_width>16x</max_link_width><current_link_width>{width}</current_link_width></link_widths>
  </pci_gpu_link_info></pci></gpu>"""


def nvidia_smi(*links: tuple[str, str], driver: str = "550.54.15", attached: int | None = None) -> str:
    """Return a minimal nvidia-smi -q -x of one GPU for each (generation, width)."""
    gpus = "".join(GPU.format(bus=f"{n:02x}", gen=gen, width=width) for n, (gen, width) in enumerate(links))
    count = len(links) if attached is None else attached
    return (
        '<?xml version="1.0" ?>\n<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">\n<nvidia_smi_log>'
        f"<driver_version>{driver}</driver_version><attached_gpus>{count}</attached_gpus>{gpus}\n</nvidia_smi_log>\n"
    )


CHRONY_FOLLOWS = (
    "C0A80001,ntp.example,3,1795240667.494302321,-0.000250000,0.000010000,0.000020000,"
    "-5.500,0.001,0.020,0.000900000,0.000400000,64.2,Normal\n"
)

DMI = "bios_date=03/15/2025\nbios_version=2.1\nproduct_name=GPU Server\nproduct_serial=SN0042\nsys_vendor=Maker\n"

FIRMWARE = "bios=2.1\nbmc=1.09\n"

FAILED_UNITS = "nvidia-persistenced.service loaded failed failed NVIDIA Persistence Daemon\n"

LSPCI_GPU = """\
17:00.0 3D controller [0302]: NVIDIA Corporation GH100 [H100 SXM5 80GB] [10de:2330] (rev a1)
\tSubsystem: NVIDIA Corporation Device [10de:16c1]
\t\tLnkCap:\tPort #0, Speed 32GT/s, Width x16, ASPM not supported
\t\tLnkSta:\tSpeed 16GT/s (downgraded), Width x8 (downgraded)

03:00.0 VGA compatible controller [0300]: ASPEED Technology, Inc. ASPEED Graphics Family [1a03:2000] (rev 52)
\t\tLnkSta:\tSpeed 5GT/s, Width x1

c5:00.0 Processing accelerators [1200]: Advanced Micro Devices, Inc. [AMD/ATI] Aqua Vanjaram [1002:74a1]
\t\tLnkSta:\tSpeed 32GT/s, Width x16
"""
